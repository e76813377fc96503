# The directory does not exist.
:
