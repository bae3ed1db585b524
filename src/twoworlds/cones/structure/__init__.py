"""Row cones too large to list, by structure: one transition per record, Kronecker products."""

__all__: list[str] = []
