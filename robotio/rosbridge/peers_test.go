package rosbridge

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// newServer starts a server that allows the origin https://good.example.
func newServer(t testing.TB, uri string, cfg web.Config) *Server {
	t.Helper()
	cfg.Addr, cfg.Access.Origins = "127.0.0.1:0", []string{"https://good.example"}
	s := must.Get(Listen(webtest.Node(t, uri, "/rosbridge"), cfg))(t)
	t.Cleanup(func() { s.Close() })
	return s
}
