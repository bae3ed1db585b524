"""A program to audit: reads a database as JSON on each line, answers with its sum and a coin."""

import json
import random
import sys

if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{sum(json.loads(line)) + random.choice((0, 0, 0, 1))}\n")
        sys.stdout.flush()
