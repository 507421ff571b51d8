// Package httpfence carries grants over HTTP. It is no fence by itself.
//
// The header is
//
//	Fencing-Token: "<issuer>/<owner>/<token>"
//
// with the token in 19 digits; the resource follows from the request.
//
// On the server, [Require] parses the header, answers requests without one with
// 428 Precondition Required, and puts the grant into the request's context. It
// protects nothing: between its answer and the handler's write there is time
// enough for another holder. The handler must pass the grant on to the guarded
// write of its store and answer with [WriteError], which turns a refusal into
// 412 Precondition Failed.
//
// On the client, [Transport] sends the grant of the request's context, and the
// idempotency key if there is one. If the receiving service does not compare
// tokens where it writes, nothing is fenced: late requests take effect there.
// Say so where you call it, give each request an idempotency key or a condition,
// look up what was done before repeating it, and reconcile afterwards.
//
// A grant is a capability: who reads it can write. Use TLS.
package httpfence
