"""What tests that begin processes wait for."""

import time


def wait_until(is_true, what, most_s=600):
    """Fails, and says `what`, after more seconds than only what is broken takes."""
    end = time.monotonic() + most_s
    while not is_true():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
