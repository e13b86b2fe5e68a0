/*
name: views.by-path@2
id: 2d7c4f0e-6b1a-4c55-8f3e-9a1b7d20c6e5
summary: Page views of a site since a time, by path, the last path first.
parameters:
  site: { kind: string, required: true, description: Host name of the site. }
  since:
    kind: timestamp
    relativeStep: 1m
    default: now-1d
    description: Only views at or after this time.
columns:
  path: String
  views: UInt64
caching: 60
example: { site: shop.example.com }
*/
SELECT path, count() AS views
FROM page_views
WHERE site = @site AND timestamp >= @since
GROUP BY path
ORDER BY path DESC
