// Package admission decides which connections a listener keeps when more peers connect than it has places for.
//
// A connection is pending until its request has been read, and admitted afterwards. Pending and admitted connections
// have separate places, so that peers that send nothing take no places from peers that are served. If all pending
// places are taken, a new pending connection replaces the oldest one. Table.Admit decides which admitted connection is
// replaced.
//
// Serve applies these rules to an HTTP server. Places applies them to anything of which there is a fixed number, such
// as WebSockets and waiting requests. Both close the connections that are replaced. A Table closes nothing itself:
//
//	t := admission.NewTable(1024, 512)
//	if out := t.Enter(c); out != nil {
//		out.Close()
//	}
//	// when the peer's request has been read
//	c.Caller, c.Subject = "/rviz", "/scan"
//	out, ok := t.Admit(c)
//
// Accept accepts connections until their listener is closed. Fit limits the number of places to the file descriptors
// that the process may open.
//
// A Table has no lock; its owner must guard it. A Places is safe for use by many goroutines.
package admission
