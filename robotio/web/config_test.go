package web

import (
	"net"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestValidate(t *testing.T) {
	err := Config{Name: "rosbridge", Addr: "9090", Access: access.Rule{Origins: []string{"good.example",
		"https://x.example/path"}}, Limits: Limits{Clients: -1, Rate: -2}}.Validate()
	want := `rosbridge: address = "9090": must be host:port
rosbridge: origins[0] = "good.example": must be http://host or https://host, with or without :port, or * for all
rosbridge: origins[1] = "https://x.example/path": must be http://host or https://host, with or without :port, or * for all
rosbridge: limits.clients = -1: must not be negative
rosbridge: limits.rate = -2: must not be negative`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestAddressInUse(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	if _, err := Listen(Config{Name: "rosbridge", Addr: l.Addr().String()}, nil); err == nil ||
		!strings.Contains(err.Error(), "is in use: choose another port") {
		t.Errorf("err = %v", err)
	}
}
