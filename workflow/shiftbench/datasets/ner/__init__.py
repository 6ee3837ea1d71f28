"""Reading, annotating and featurising words, for named-entity recognition."""
