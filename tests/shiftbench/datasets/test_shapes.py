"""Shapes of words, with signs as they are and by their kind, and words that are known in lower case."""

import pytest
from shiftbench.datasets.ner.features import Shapes, kind_of_sign, plain_shape


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("a", "x"),
        ("EU", "XX"),
        ("Bill", "Xxxx"),
        ("1996", "dddd"),
        ("U.S.", "X.X."),
        (".", "."),
        ("Émile", "Xxxxx"),
        ("German", "Xxxxx"),  # from here on longer than four characters
        ("1996-08-22", "dd-ddd"),
        ("McDonald's", "XxXx'x"),
        ("BRUSSELS", "XXXXX"),
        ("-DOCSTART-", "-XXX-"),
        ("x9-Z.a", "xd-X.x"),
        ("ab(]-Z(cd", "xx(-X]xx"),  # between the ends each once, and sorted
        ("alpha", "g"),
        ("alpha-1", "g-d"),
        ("Alpha", "Xxxxx"),  # only in lower case
        ("Tgfbeta", "Xxxg"),
        ("betagamma12", "ggdd"),
        ("alphabetically", "gxxxx"),
        ("mu", "xx"),  # the short ones are not taken for Greek
        ("epithelial", "xxxxx"),
    ],
)
def test_shapes(word, shape):
    assert plain_shape(word)[0] == shape


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("a", "x"),
        ("Bill", "Xxxx"),
        ("1996", "dddd"),
        ("U.S.", "X.X."),
        ("Émile", "Xxxxx"),
        (".", "."),
        (",", "."),
        ("&", "."),
        ('"', "."),
        ("#", "."),
        ("'s", "'x"),  # an apostrophe and the per cent sign are classes of their own
        ("%", "%"),
        ("(", "("),
        ("[", "("),
        ("}", ")"),
        ("$", "$"),
        ("£10", "$dd"),
        ("=", "+"),
        ("<b>", "+x+"),
        ("©", "|"),
        ("«a»", "`x'"),
        ("a_b", "x_x"),
        ("--", "--"),
        ("1\N{EN DASH}0", "d-d"),  # whatever the dash
        ("½", "d"),
        ("日本", "cc"),
        ("`", "q"),
        ("1996-08-22", "dd-ddd"),  # from here on longer than four characters
        ("McDonald's", "XxXx'x"),
        ("5,000,000", "d..ddd"),
        ("AT&T/BT", "XX.XXX"),
        ("ab(]-Z(cd", "xx()-Xxx"),  # between the ends each once, and sorted
        ("http://a.b", "xx.x.x"),
        ("alpha-1", "g-d"),
        ("Tgfbeta", "Xxxg"),
    ],
)
def test_shapes_by_the_kind_of_sign(word, shape):
    assert plain_shape(word, kind_of_sign)[0] == shape


@pytest.mark.parametrize(
    "letter",
    [
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "iota"),
        *("kappa", "lambda", "omicron", "rho", "sigma", "tau", "upsilon", "omega"),
    ],
)
def test_greek_letters_that_are_spelled_out(letter):
    assert plain_shape(letter) == ("g", False)
    assert plain_shape(f"A{letter}1") == ("Xgd", False)


def test_a_word_is_known_as_soon_as_it_was_met_in_lower_case():
    shapes = Shapes()
    words = ["Call", "the", "call", "Call", "CALL", "The", "1st", "1st", "e-mail", "E-MAIL"]
    expected = ["Xxxx", "xxxk", "xxxxk", "Xxxxk", "XXXXk", "Xxxk", "dxx", "dxx", "x-xxx", "X-XXX"]
    assert [shapes.read(word) for word in words] == expected
    assert shapes.known == {"the", "call", "e-mail"}


def test_a_word_that_only_begins_in_lower_case_is_known_as_it_is_written():
    shapes = Shapes()
    assert [shapes.read(word) for word in ("eBay", "EBay", "ebay", "EBay")] == ["xXxx", "XXxx", "xxxxk", "XXxxk"]
