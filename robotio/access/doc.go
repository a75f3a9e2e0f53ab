// Package access says which HTTP requests a listener of ours takes, so that no page in a browser reaches robots through it. It is the one
// rule for ROS's XML-RPC, rosbridge and Foxglove.
//
// It does not know who a program is: ROS 1 has no passwords, and whoever can connect without a browser may do everything.
//
// A page of anybody's can make the browser send requests to this machine. The browser then says where the page is from, in Origin, and what it
// took for the server's name, in Host. A Rule wants both to be this machine's, or configured:
//
//   - Host, because a name of somebody else's can be made to lead here (DNS rebinding, over mDNS too), and a page of that name then passes for
//     one of the server's own;
//   - Origin, because a page of any name can send requests to our addresses.
//
// Programs send no Origin, and as Host what stands in the URI that they were given.
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
