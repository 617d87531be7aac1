"""Tasks on real domains: one family to a kind. What is hard about each is said beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from isthmus.bench.task import Task

Classes = Mapping[str, list[str]]

ENRON = tuple(f"enron{number}" for number in range(1, 7))
YOUTUBE = tuple(f"youtube-{name}" for name in ("eminem", "katyperry", "lmfao", "psy", "shakira"))
TOPICS = ("politics", "business", "tech", "sport")
CHINESE = ("books", "computers", "fruit", "phones", "waimai", "hotel")
CLICKBAIT = ("dose", "clickhole", "buzzfeed")
SHIFTED_NEWS = ((0.1, 0.2, 0.3, 0.4), (0.55, 0.15, 0.15, 0.15), (0.4, 0.4, 0.1, 0.1))

CLINC = {
    "banking": "account_blocked balance bill_balance bill_due freeze_account interest_rate min_payment order_checks "
    "pay_bill pin_change report_fraud routing spending_history transactions transfer",
    "travel": "book_flight book_hotel car_rental carry_on exchange_rate flight_status international_visa lost_luggage "
    "plug_type timezone translate travel_alert travel_notification travel_suggestion vaccines",
    "utility": "alarm calculator date definition find_phone flip_coin make_call measurement_conversion roll_dice "
    "share_location spelling text time timer weather",
    "kitchen_and_dining": "accept_reservations calories cancel_reservation confirm_reservation cook_time food_last "
    "how_busy ingredient_substitution ingredients_list meal_suggestion nutrition_info recipe restaurant_reservation "
    "restaurant_reviews restaurant_suggestion",
    "home": "calendar calendar_update next_song order order_status play_music reminder reminder_update shopping_list "
    "shopping_list_update smart_home todo_list todo_list_update update_playlist what_song",
}
"""Areas of CLINC, and the intents of each: the first half to learn from, the other half to label, or the reverse."""


def real_tasks() -> tuple[Task, ...]:
    """All of them."""
    return (*spam(), *videos(), *news(), *intents(), *headlines(), *sentences(), *chinese())


def spam() -> Iterator[Task]:
    """Label shift: a quarter of the first three mailboxes is spam, and three quarters of the others."""
    for source, target in permutations(ENRON, 2):
        yield _task("spam", f"{source} to {target}", _mail(source), _mail(target))
    yield _task("spam", "sms to enron4", _mail("sms"), _mail("enron4"))
    yield _task("spam", "enron1 to sms", _mail("enron1"), _mail("sms"))


def videos() -> Iterator[Task]:
    """Few documents: comments on five videos."""
    for source, target in permutations(YOUTUBE, 2):
        name = f"{source} to {target}".replace("youtube-", "")
        yield _task("videos", name, _mail(source), _mail(target), corpus="spam")
    yield _task("videos", "videos to sms", _mail(*YOUTUBE), _mail("sms"), corpus="spam")
    yield _task("videos", "sms to videos", _mail("sms"), _mail(*YOUTUBE), corpus="spam")


def news() -> Iterator[Task]:
    """Leads and whole articles; priors that differ; a class that only one side has."""
    for source, target in (("ag", "bbc"), ("bbc", "ag")):
        there, here = (_labels(domain, TOPICS) for domain in (source, target))
        yield _task("news", f"{source} to {target}", there, here)
        for shares in SHIFTED_NEWS:
            prior = dict(zip(TOPICS, shares, strict=True))
            name = f"{source} to {target}, {round(100 * shares[0])}% politics"
            yield _task("news", name, there, here, prior)
        for gone in TOPICS:
            others = {label: groups for label, groups in here.items() if label != gone}
            yield _task("missing class", f"{source} to {target} without {gone}", there, others, corpus="news")
            others = {label: groups for label, groups in there.items() if label != gone}
            yield _task("new class", f"{source} without {gone} to {target}", others, here, corpus="news")
    both = (*TOPICS, "entertainment")
    yield _task("new class", "ag to bbc with entertainment", _labels("ag", TOPICS), _labels("bbc", both), corpus="news")
    yield _task(
        "missing class", "bbc with entertainment to ag", _labels("bbc", both), _labels("ag", TOPICS), corpus="news"
    )


def intents() -> Iterator[Task]:
    """Several classes, one short sentence each: other intents of the same areas."""
    first, second = ({area: _intents(area, half) for area in CLINC} for half in (0, 1))
    yield _task("intents", "intents", first, second)
    yield _task("intents", "intents, back", second, first)
    for pair in permutations(CLINC, 2):
        if pair[0] < pair[1]:
            there, here = ({area: side[area] for area in pair} for side in (first, second))
            yield _task("intents", f"{pair[0]} and {pair[1]}", there, here)
    for gone in CLINC:
        fewer = {area: groups for area, groups in second.items() if area != gone}
        yield _task("missing class", f"intents without {gone}", first, fewer, corpus="intents")
        fewer = {area: groups for area, groups in first.items() if area != gone}
        yield _task("new class", f"{gone} among intents", fewer, second, corpus="intents")


def headlines() -> Iterator[Task]:
    """Very short texts: clickbait of three sites among news."""
    for source, target in permutations(CLICKBAIT, 2):
        there, here = (
            {"clickbait": [f"{name}/clickbait"], "news": [f"nytimes/news/{half}"]}
            for name, half in ((source, 1), (target, 2))
        )
        yield _task("headlines", f"{source} to {target}", there, here, {"clickbait": 0.5, "news": 0.5})
        yield _task("headlines", f"{source} to {target}, 20%", there, here, {"clickbait": 0.2, "news": 0.8})


def sentences() -> Iterator[Task]:
    """Opinions in one sentence."""
    for number, (source, target) in enumerate(permutations(("yelp", "amazon", "imdb"), 2)):
        there, here = (_labels(domain, ("neg", "pos")) for domain in (source, target))
        share = 0.25 if number % 2 else 0.8
        yield _task("sentences", f"{source} to {target}", there, here)
        yield _task("sentences", f"{source} to {target}, thinned", there, here, {"neg": 1 - share, "pos": share})


def chinese() -> Iterator[Task]:
    """No spaces between words, and label shift."""
    for source, target in permutations(CHINESE, 2):
        there, here = (_labels(domain, ("neg", "pos")) for domain in (source, target))
        yield _task("chinese", f"{source} to {target}, Chinese", there, here)


def unrelated_real() -> Iterator[Task]:
    """Domains of two kinds, whose classes have nothing to do with each other."""
    sides = {
        "spam": _mail("enron1"),
        "mail": _mail("enron5"),
        "messages": _mail("sms"),
        "opinions": _labels("yelp", ("neg", "pos")),
        "films": _labels("imdb", ("neg", "pos")),
        "clickbait": {"clickbait": ["dose/clickbait"], "news": ["nytimes/news/1"]},
        "articles": _labels("bbc", ("politics", "sport")),
        "leads": _labels("ag", ("business", "tech")),
        "areas": {area: _intents(area, 0) for area in ("banking", "travel")},
        "questions": {area: _intents(area, 1) for area in ("home", "utility")},
    }
    kinds = ("spam", "spam", "spam", "sentences", "sentences", "headlines", "news", "news", "intents", "intents")
    kind_of = dict(zip(sides, kinds, strict=True))
    for source, target in permutations(sides, 2):
        if kind_of[source] != kind_of[target] or kind_of[source] in ("news", "intents"):
            renamed = dict(zip(sides[source], sides[target].values(), strict=True))
            yield _task("unrelated", f"{source} for {target}", sides[source], renamed, corpus="real")


def _task(
    family: str, name: str, source: Classes, target: Classes, prior: Mapping[str, float] | None = None, corpus: str = ""
) -> Task:
    return Task(name, corpus or family, source, target, family=family, target_prior=prior or {})


def _mail(*domains: str) -> dict[str, list[str]]:
    return {label: [f"{domain}/{label}" for domain in domains] for label in ("ham", "spam")}


def _labels(domain: str, labels: Sequence[str]) -> dict[str, list[str]]:
    return {label: [f"{domain}/{label}"] for label in labels}


def _intents(area: str, half: int) -> list[str]:
    return [f"clinc/{area}/{intent}" for intent in CLINC[area].split()[half::2]]
