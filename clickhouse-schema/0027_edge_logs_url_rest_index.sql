-- usage.api-counts has what URLs begin with in its rollups, and looks for a name in what follows, where it mostly is not: one
-- filter for a million records says so. Expression and origin are the endpoint's, letter for letter, or the index is not used.
ALTER TABLE edge_logs ADD INDEX IF NOT EXISTS url_rest_ngrams substring(url, 1 + length(regexpExtract(url, '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*', 0))) TYPE ngrambf_v1(4, 65536, 2, 0) GRANULARITY 1024;
ALTER TABLE edge_logs MATERIALIZE INDEX url_rest_ngrams SETTINGS mutations_sync = 2;
