"""How many rows of a table must belong to people who are not in a register.

If each row is another person's, the people of the register take at most as many rows as a largest
matching of people to rows that fit them has; all other rows belong to somebody else. Where everyone
fits one group of rows with the same cells, each group is filled up by itself. Where groups overlap,
it is a largest flow from kinds of people to groups, found along shortest augmenting paths.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

__all__ = ["most_placed"]


def most_placed(kinds: Sequence[tuple[int, Sequence[int]]], rooms: Mapping[int, int]) -> int:
    """Return how many people can be placed in groups at most, one in each room.

    Args:
        kinds: How many people are of a kind, and which groups they fit.
        rooms: How many rooms each group has.

    >>> most_placed([(1, [1]), (2, [1, 2])], {1: 1, 2: 1})
    2
    """
    free, left = dict(rooms), [number for number, _ in kinds]
    placed: list[dict[int, int]] = [{} for _ in kinds]
    guests: dict[int, dict[int, None]] = {group: {} for group in rooms}  # kinds that are in a group

    def move(kind: int, group: int, number: int) -> None:
        placed[kind][group] = placed[kind].get(group, 0) + number
        if placed[kind][group]:
            guests[group][kind] = None
        else:
            del placed[kind][group], guests[group][kind]

    for kind in sorted(range(len(kinds)), key=lambda one: len(kinds[one][1])):
        for group in kinds[kind][1]:
            number = min(left[kind], free[group])
            if number:
                move(kind, group, number)
                left[kind] -= number
                free[group] -= number
    dead: set[int] = set()  # kinds from which no path leads to a free room, now or later
    for kind in range(len(kinds)):
        while left[kind] and kind not in dead:
            path = _path(kind, kinds, free, guests, dead)
            if path is None:
                break
            movers = [
                placed[other][group] for group, other in zip(path[1::2], path[2::2], strict=False)
            ]
            number = min(left[kind], free[path[-1]], *movers)
            for here, group in zip(path[::2], path[1::2], strict=True):
                move(here, group, number)
            for group, other in zip(path[1::2], path[2::2], strict=False):
                move(other, group, -number)
            left[kind] -= number
            free[path[-1]] -= number
    return sum(number for number, _ in kinds) - sum(left)


def _path(
    start: int,
    kinds: Sequence[tuple[int, Sequence[int]]],
    free: Mapping[int, int],
    guests: Mapping[int, Mapping[int, None]],
    dead: set[int],
) -> list[int] | None:
    """Return kind, group, kind, ..., group with free rooms: who moves where; None if none does.

    All that is reached in vain stays in vain: rooms are only filled, and whoever is moved later
    stays among what was reached, or outside of it.
    """
    before: dict[int, int] = {}  # a group, and the kind from which it was reached
    inviting: dict[int, int] = {}  # a kind, and the group that it would leave
    queue, seen = deque([start]), {start}
    while queue:
        kind = queue.popleft()
        for group in kinds[kind][1]:
            if group in before:
                continue
            before[group] = kind
            if free[group]:
                path = [group]
                while True:
                    path.append(before[path[-1]])
                    if path[-1] == start:
                        return path[::-1]
                    path.append(inviting[path[-1]])
            for other in guests[group]:
                if other not in seen and other not in dead:
                    seen.add(other)
                    inviting[other] = group
                    queue.append(other)
    dead |= seen
    return None
