package rosbridge

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/web/webtest"
)

// newServer starts a server that the page https://good.example may use.
func newServer(t testing.TB, uri string, cfg Config) *Server {
	t.Helper()
	cfg.Addr, cfg.Access.Origins = "127.0.0.1:0", []string{"https://good.example"}
	s := webtest.Must(Listen(webtest.Node(t, uri, "/rosbridge"), cfg))(t)
	t.Cleanup(func() { s.Close() })
	return s
}
