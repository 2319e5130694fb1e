"""Files of users, written so that none is lost: the standard library alone, for every layer of the extension."""
