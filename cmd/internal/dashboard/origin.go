package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// admitOrigin refuses requests of pages other than the server's own, including pages of other servers on this machine,
// unless --origin names them.
func (s *Server) admitOrigin(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	if origin == "" || err == nil && u.Host == r.Host || slices.ContainsFunc(s.origins,
		func(o string) bool { return o == "*" || strings.EqualFold(o, origin) }) {
		return true
	}
	http.Error(w, fmt.Sprintf("dashboard: origin = %.80q: must be the dashboard's own page, or one that --origin names",
		origin), http.StatusForbidden)
	return false
}
