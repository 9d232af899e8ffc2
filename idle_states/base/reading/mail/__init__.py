"""Mails as they come: read from files, boxes and pipes, taken apart, and put in order as series.

`mail` takes one mail apart, `box` finds the mails of a file or directory, and `series` puts the
patches of a thread in order, also those that replies quote, and has what replies say themselves.
What a diff says and does is the business of `reading.patch`.
"""
