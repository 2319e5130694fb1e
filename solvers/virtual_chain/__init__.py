"""The ERIK paper's chain of virtual unit links, and its posture error, by which every pose is measured."""
