// Package access decides which HTTP requests a listener serves, so that no page in a browser reaches robots through it.
// It is the one rule for ROS's XML-RPC, rosbridge and Foxglove.
//
// It does not authenticate programs: ROS 1 has no passwords, and a program that can connect without a browser may do
// everything.
//
// Any page can make a browser send requests to this machine. The browser states the page's origin in Origin and the
// server's name in Host. Both must be this machine's, or configured in a Rule:
//
//   - Host, because a foreign name can be made to resolve to this machine (DNS rebinding, over mDNS too), and a page of that
//     name then passes for one of the server's own;
//   - Origin, because a page of any name can send requests to this machine's addresses.
//
// Programs send no Origin, and as Host the host of the URI that they were given.
//
//	guard := access.Rule{Hosts: []string{"simulator.lab.example"}}.Guard("ros master", log)
//	func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
//		if !guard.Admit(w, r) {
//			return // it has been answered
//		}
//	}
//
// A Guard is safe for use by many goroutines.
//
// Source: the Fetch Standard, "Origin header"; RFC 9110, section 7.2; RFC 6761 for names of loopback.
package access
