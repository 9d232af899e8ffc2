"""docs/rounding.md is what the program says."""

from tools.rounding import PAGE, page


def test_the_page_is_what_make_rounding_writes() -> None:
    assert PAGE.read_text("utf-8") == page()


def test_a_reader_finds_what_became_of_200_ns() -> None:
    _, _, section = page().partition("\n### power9@84368bbf8\n")
    said = "stop0\\_lite's exit latency of 200 ns becomes 0 us in Linux 4.8 to 4.14.6 and 1 us in"
    assert said in section.partition("\n### ")[0]
