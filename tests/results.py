# SPDX-License-Identifier: MIT
"""Results of a test program as TAP."""


def report(results):
    """Print pairs of a test's name and what is wrong, or None. Return whether anything is."""
    for number, (name, problem) in enumerate(results, 1):
        print(f"{'not ok' if problem else 'ok'} {number} - {name.replace('#', ' ')[:150]}")
        if problem:
            print(f"# {problem}")
    print(f"1..{len(results)}")
    return any(problem for _, problem in results)
