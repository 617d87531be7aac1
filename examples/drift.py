"""Drift over months

A model is fitted to one domain. Month by month, more of what arrives is of another. `watch` sees it in the words, and
raises an alarm when they are stranger than batches of the target itself ever are (the band). That documents have
changed does not say that labels are wrong: how accuracy goes, nobody can see without labels.
"""

import numpy as np

import isthmus
from isthmus.datasets import make_domains
from isthmus.drift import compare_batch, describe_documents, profile_target
from shared import COLORS, axes


def draw(quick=False):
    """New words and accuracy, month by month."""
    months, size = (2, 40) if quick else (10, 150)
    made = make_domains(
        months * size,
        n_words=400 if quick else 2000,
        n_domains=3,
        shared=0.4,
        strength=1.2,
        mean_length=60,
        random_state=1,
    )
    texts = np.array(list(made.texts()), dtype=object)
    source, target, other = (np.flatnonzero(made.sample_domain == domain) for domain in range(3))
    names = np.array(["no", "yes"])[made.y]
    first, later = target[:size], target[size:]
    result = isthmus.transfer(list(texts[source[:300]]), list(names[source[:300]]), list(texts[first]))
    profile, signs, accuracy = profile_target(result), [], []
    for month, share in enumerate(np.linspace(0, 0.9, months)):
        strange = round(share * size)
        rows = np.concatenate(
            [later[month * (size - 1) // months :][: size - strange], other[month * size :][:strange]]
        )
        batch = list(texts[rows])
        X, probabilities = result.vectorizer.transform(batch), result.predict_proba(batch)
        described = describe_documents(result.vectorizer, batch, X, probabilities, profile)
        signs.append(compare_batch(profile, described).signs[0])
        accuracy.append(np.mean(result.classes[probabilities.argmax(axis=1)] == names[rows]))
    figure, (left, right) = axes(8, 3, columns=2)
    x = range(1, months + 1)
    left.fill_between(
        x, 0, [sign.high for sign in signs], color=COLORS[0], alpha=0.15, lw=0, label="usual in the target"
    )
    left.plot(x, [sign.value for sign in signs], color=COLORS[3])
    for month, sign in zip(x, signs):
        left.plot(month, sign.value, "o", color=COLORS[1] if sign.is_alarm else COLORS[0])
    left.set(xlabel="month", ylabel="share of new words", title="what is seen (orange: an alarm)")
    left.legend(frameon=False)
    right.plot(x, accuracy, "o-", color=COLORS[3])
    right.set(xlabel="month", ylabel="accuracy", title="what is not seen", ylim=(0.4, 1))
    return figure
