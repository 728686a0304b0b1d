"""Waiting, for tests that start processes."""

import time


def wait_until(is_true, what, most_s=600):
    """Waits for `is_true()`. Raises TimeoutError(what) after `most_s` seconds, far longer than it takes."""
    end = time.monotonic() + most_s
    while not is_true():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
