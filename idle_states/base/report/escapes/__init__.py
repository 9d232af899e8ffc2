"""One module for each form of output, which escapes what that form cannot carry."""
