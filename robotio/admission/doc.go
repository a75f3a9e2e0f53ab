// Package admission decides which connections of a listener stay where more peers come than it has places for.
//
// A connection is pending until it has said what it wants, and admitted from then on; each kind has places of its own, so
// that peers that say nothing take none from those that are served. A new pending connection closes the oldest pending
// one. An admitted one finds a place as Table.Admit says. The package closes nothing by itself and reads no clock.
//
//	t := admission.NewTable(1024, 512)
//	if out := t.Enter(c); out != nil {
//		out.Close()
//	}
//	// once the peer has said what it wants
//	c.Caller, c.Subject = "/rviz", "/scan"
//	out, ok := t.Admit(c)
//
// Fit bounds the places by what the process may open.
//
// A Table has no lock: its owner's guards it.
package admission
