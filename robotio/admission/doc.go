// Package admission decides which connections a listener keeps when more peers connect than it has places for.
//
// A connection is pending until its request has been read, and admitted from then on. Each kind has places of its own,
// so that peers that send nothing take none from those that are served. A new pending connection closes the oldest
// pending one. Table.Admit says which place an admitted one gets. The package closes nothing by itself and reads no
// clock.
//
//	t := admission.NewTable(1024, 512)
//	if out := t.Enter(c); out != nil {
//		out.Close()
//	}
//	// once the peer's request has been read
//	c.Caller, c.Subject = "/rviz", "/scan"
//	out, ok := t.Admit(c)
//
// Fit bounds the places by what the process may open.
//
// A Table has no lock: its owner's guards it.
package admission
