"""Files: documents, models, and writing either whole or not at all."""
