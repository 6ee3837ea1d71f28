"""What several datasets with real label noise share: text features, votes, parts, checks of settings."""
