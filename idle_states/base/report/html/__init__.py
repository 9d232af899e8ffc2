"""Results as one self-contained page: pictures, and beside each a table of what it shows.

Modules named after commands turn results into sections; `page` renders them, `pictures` and `svg`
draw. Nothing on a page is fetched, and its one script is our own: the page is whole without it.
"""
