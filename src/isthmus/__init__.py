"""isthmus: unsupervised domain adaptation for text.

Classify the documents of an unlabeled target domain with labels from a source domain. The public names are listed in
`__init__.pyi`, and each is imported when it is first asked for.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
