"""The command line's commands: options → library call → printed result, one module each."""
