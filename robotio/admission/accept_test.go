package admission

import (
	"errors"
	"net"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// failing is a listener that cannot accept its first connection.
type failing struct {
	net.Listener
	err error
}

func (f *failing) Accept() (net.Conn, error) {
	if err := f.err; err != nil {
		f.err = nil
		return nil, err
	}
	return f.Listener.Accept()
}

func TestAcceptGoesOnAfterErrors(t *testing.T) {
	l := &failing{must.Get(net.Listen("tcp", "127.0.0.1:0"))(t), errors.New("too many open files")}
	client := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer client.Close()
	var reports []string
	served := 0
	Accept(l, func(err error) { reports = append(reports, err.Error()) }, func(conn net.Conn) {
		served++
		conn.Close()
		l.Close()
	})
	must.Equal(t, reports, []string{"too many open files"}, "reports")
	must.Equal(t, served, 1, "served connections")
}
