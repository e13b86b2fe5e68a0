"""Caches of HTTP clients serve fresh results, and to one key only."""

import requests
from cachecontrol import CacheControl

from packages import needs

CALL = "python.text?format=csv"


def assert_caches_for_one_key(get, was_cached, client):
    """`get` sends a key; a key that the gateway rejects must not get what is cached for another."""
    key = client.headers["X-API-KEY"]
    first, second = get(key), get(key)
    assert not was_cached(first)
    assert was_cached(second)
    assert second.content == client.get(CALL)
    assert get("another-key-which-is-unknown").status_code == 401
    assert was_cached(get(key))


def test_cachecontrol(client):
    session = CacheControl(requests.Session())

    def get(key):
        return session.get(client.url(CALL), headers={"X-API-KEY": key})

    assert_caches_for_one_key(get, lambda response: response.from_cache, client)


@needs("requests-cache")
def test_requests_cache(client):
    from requests_cache import CachedSession

    session = CachedSession(backend="memory", cache_control=True, ignored_parameters=[])

    def get(key):
        return session.get(client.url(CALL), headers={"X-API-KEY": key})

    assert_caches_for_one_key(get, lambda response: response.from_cache, client)


@needs("requests-cache")
def test_requests_cache_has_no_hits_with_its_own_ignored_parameters(client):
    from requests_cache import CachedSession

    session = CachedSession(backend="memory", cache_control=True)
    for _ in range(2):
        assert not session.get(client.url(CALL), headers=client.headers).from_cache


@needs("hishel")
def test_hishel(client, tmp_path):
    import hishel
    from hishel.httpx import SyncCacheClient

    policy = hishel.SpecificationPolicy(cache_options=hishel.CacheOptions(shared=False))
    storage = hishel.SyncSqliteStorage(database_path=str(tmp_path / "cache.sqlite"))
    with SyncCacheClient(policy=policy, storage=storage) as session:

        def get(key):
            return session.get(client.url(CALL), headers={"X-API-KEY": key})

        assert_caches_for_one_key(get, lambda response: response.extensions["hishel_from_cache"], client)
