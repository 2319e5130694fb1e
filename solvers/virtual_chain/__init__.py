"""The ERIK paper's chain of virtual unit links, and its posture error, which measures every solver's poses."""
