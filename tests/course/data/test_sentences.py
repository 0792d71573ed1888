"""The sentences with "it" and "bank": what they mean, how they agree, and what is held out."""

import pytest
import torch

from course.data import collate, sentences


def test_the_adjective_decides_what_it_means():
    tired, wide = (sentences.it_sentence("dog", "road", adjective) for adjective in ("tired", "wide"))
    assert (tired.meaning, wide.meaning) == ("dog", "road")
    assert tired.words[:-1] == wide.words[:-1]
    assert " ".join(tired.translation) == "le chien n' a pas traversé la route parce qu' il était trop fatigué"
    assert " ".join(wide.translation) == "le chien n' a pas traversé la route parce qu' elle était trop large"


def test_adjectives_agree_with_what_it_is():
    old = sentences.it_sentence("cow", "bridge", "old", aside=3)
    assert old.translation[-1] == "vieille" and old.translation[sentences.PRONOUN] == "elle"
    assert sentences.it_sentence("cow", "bridge", "narrow").translation[-1] == "étroit"


@pytest.mark.parametrize("held_out", [False, True])
def test_it_and_the_pronoun_stand_where_they_are_said_to(held_out):
    for sentence in sentences.it_sentences(300, seed=1, held_out=held_out):
        assert sentence.words[sentence.asked] == "it" and sentence.asked == sentences.IT
        assert sentence.translation[sentences.PRONOUN] in ("il", "elle")
        walker, way = sentence.words[1], sentence.words[6]
        assert sentences.WALKERS[walker][2] != sentences.WAYS[way][2]
        assert sentence.meaning in (walker, way)
        # as many words behind the pronoun as behind "it": the adjective is never heard when the pronoun is due
        assert len(sentence.words) - sentences.IT == len(sentence.translation) - sentences.PRONOUN


def test_nothing_held_out_is_trained_on():
    def triples(drawn):
        return {(s.words[1], s.words[6], s.words[-1]) for s in drawn}

    kept = triples(sentences.it_sentences(5_000, seed=2))
    held = triples(sentences.it_sentences(5_000, seed=2, held_out=True))
    assert not kept & held and len(kept) > 3 * len(held) > 100
    # each noun with each adjective is seen, so that only the combination is new
    assert {(noun, adjective) for noun, _, adjective in held} <= {(noun, adjective) for noun, _, adjective in kept}


def test_banks_are_told_apart_by_their_purpose_before_or_behind():
    drawn = sentences.bank_sentences(200, seed=0)
    assert {s.meaning for s in drawn} == {"money", "water"}
    assert all(s.words[s.asked] == "bank" for s in drawn)
    assert 0.3 < sum(s.asked == len(s.words) - 1 for s in drawn) / 200 < 0.7


def test_the_same_seed_draws_the_same_sentences():
    assert sentences.it_sentences(5, seed=3) == sentences.it_sentences(5, seed=3)
    assert sentences.bank_sentences(5, seed=3) == sentences.bank_sentences(5, seed=3)


def test_vocabularies_hold_every_word():
    english, french = sentences.sentence_vocabularies()
    drawn = sentences.it_sentences(200, seed=4) + sentences.it_sentences(200, seed=4, held_out=True)
    batch = collate(sentences.clauses(drawn), english, french)
    assert french.decode(batch.targets[0]) == list(drawn[0].translation[sentences.PRONOUN :])
    ids, lengths, asked = sentences.reading(sentences.bank_sentences(20, seed=4))
    assert (ids[torch.arange(20), asked] == english.encode(["bank"])[0]).all() and (asked < lengths).all()


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError, match="no such sentence"):
        sentences.it_sentence("dog", "moon", "tired")
    with pytest.raises(ValueError, match="no such purpose"):
        sentences.bank_sentence("she", "rob it", True)
