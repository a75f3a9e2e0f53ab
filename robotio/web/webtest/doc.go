// Package webtest runs third-party web clients under Node.js for the tests of the servers.
//
// Node.js must be installed. The first run downloads the clients from npm into the user's cache folder, so that later
// runs need no network.
//
//	p := webtest.Start(t, "rosbridge.mjs", server.URL())
//	p.Prints("connected")
//	p.End()
package webtest
