"""One question each: trials in, frozen result out. They orchestrate; kernels compute."""
