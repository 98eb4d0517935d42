"""The web side: the review page behind a mailed link, the status pages and the JSON API.

`app.create_app` builds it from a `Context` that the wiring fills in. Showing never changes anything: GET
and HEAD of a review link write at most that it was opened and the number of its form, and no GET starts a
night. It binds to loopback until a sign-in exists; behind a proxy, absolute links come from
`review.public_url`, never from a header of the request.
"""
