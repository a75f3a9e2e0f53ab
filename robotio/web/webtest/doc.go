// Package webtest runs the web clients that are not ours, under node, for the tests of the servers.
//
// It does not test anything itself. Node must be installed; the clients come from npm once and are kept in the user's
// cache folder, so that later runs need no network.
//
//	p := webtest.Start(t, "rosbridge.mjs", server.URL())
//	p.Prints("connected")
//	p.End()
package webtest
