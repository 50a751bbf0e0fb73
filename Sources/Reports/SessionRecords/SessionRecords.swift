// Starts here.
