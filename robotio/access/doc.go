// Package access decides which HTTP requests a listener serves, so that web pages of other machines cannot reach robots
// through a browser. ROS's XML-RPC, rosbridge and Foxglove all use it.
//
// It does not authenticate programs: ROS 1 has no passwords, and a program that can connect may do everything.
//
// Any page can make a browser send requests to this machine. The browser states the page's origin in Origin and the
// server's name in Host. Both must belong to this machine, or be configured in a Rule:
//
//   - Host, because an attacker can make a foreign name resolve to this machine (DNS rebinding, also over mDNS), so
//     that the page seems to be the server's own;
//   - Origin, because any page can send requests to this machine's addresses. Where browsers omit it, as for images,
//     Sec-Fetch-Site must say that the page is the server's own, or that there is none.
//
// Programs other than browsers send no Origin. They send the host of the URI as Host.
//
//	guard := access.Rule{Hosts: []string{"simulator.lab.example"}}.Guard("ros master", log)
//	func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
//		if !guard.Admit(w, r) {
//			return // Admit has answered
//		}
//	}
//
// A Guard is safe for use by many goroutines.
//
// Source: the Fetch Standard, "Origin header"; W3C, "Fetch Metadata Request Headers"; RFC
// 9110, section 7.2; RFC 6761 for names of loopback.
package access
