"""Finds the files below folders."""
import os


def files_below(path, endings=""):
    """Yields the paths of the files below a folder that have one of these endings, in order; any other path as it is."""
    if not os.path.isdir(path):
        yield path
    for parent, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith(endings))
