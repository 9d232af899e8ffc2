"""Reads git repositories without git ever reading their configuration.

`place` finds what a directory's repository consists of, `references` reads its branches and tags as
data, `private` runs git in a repository of our own that only borrows the objects, and `repository`
is what other rooms use; `trees` walks the trees of its commits. `held` has commits that no
repository has, made of the contents of files; `commits` has what both are read by.
"""
