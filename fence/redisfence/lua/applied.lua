-- The token under which a request was applied. KEYS: request.
return {'ok', redis.call('GET', KEYS[1])}
