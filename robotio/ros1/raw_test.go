package ros1

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/testdata/must"
)

type rawMessage struct {
	from Source
	b    []byte
}

func subscribeRaw(t testing.TB, n *Node, topic string) (*Subscriber, chan rawMessage) {
	t.Helper()
	got := make(chan rawMessage, 1000)
	sub := must.Get(SubscribeRaw(n, topic, func(from *Source, b []byte) {
		got <- rawMessage{*from, bytes.Clone(b)}
	}))(t)
	return sub, got
}

// TestRawSubscriber checks that the type is learnt from the publisher, and again when the topic has another type, which
// the node's library lacks.
func TestRawSubscriber(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	pub := must.Get(Advertise[msg.OdoInfo](a, "/t", "nubot_common/OdoInfo", PubOptions{Latch: true}))(t)
	pub.Publish(&msg.OdoInfo{Vx: 7})
	sub, got := subscribeRaw(t, b, "t")
	must.Equal(t, sub.Topic(), "/t", "topic")
	r := recv(t, got)
	def := must.Get(b.MessageType("nubot_common/OdoInfo"))(t)
	if r.from.Publisher != "/a" || !r.from.Latched || r.from.Def.MD5 != def.MD5 {
		t.Errorf("source = %+v", r.from)
	}
	var odo msg.OdoInfo
	if err := must.Get(msg.Compile[msg.OdoInfo](r.from.Def))(t).Decode(r.b, &odo); err != nil || odo.Vx != 7 ||
		odo.Header.Seq != 1 {
		t.Errorf("decoded %+v, %v", odo, err)
	}
	must.Do(t, pub.Close())
	strange := must.Get(msg.ParseFull("strange_msgs/Pair", "Half left\nHalf right\n"+strings.Repeat("=",
		80)+"\nMSG: strange_msgs/Half\nint16 x\n"))(t)
	raw := must.Get(AdvertiseRaw(a, "/t", strange, PubOptions{Latch: true}))(t)
	raw.Publish([]byte{1, 0, 2, 0})
	r = recv(t, got)
	if r.from.Def.Name != "strange_msgs/Pair" || r.from.Def.MD5 != strange.MD5 ||
		r.from.Def.Nested("strange_msgs/Half") == nil {
		t.Errorf("source = %+v", r.from)
	}
	must.Equal(t, r.b, []byte{1, 0, 2, 0}, "bytes")
	probed := must.Get(ProbeTopic(t.Context(), b, "/t", "/a"))(t)
	must.Equal(t, probed.MD5, strange.MD5, "probed %s", probed.Name)
	g := must.Get(b.Graph(t.Context()))(t)
	if g.Publishers["/t"][0] != "/a" || g.Subscribers["/t"][0] != "/b" {
		t.Errorf("graph = %+v", g)
	}
}

func TestRawService(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	def := must.Get(a.ServiceType("nubot_common/Shoot"))(t)
	must.Get(ServeRaw(a, "/Shoot", def, func(_ context.Context, req, out []byte) ([]byte, error) {
		if len(req) != 8 {
			return out, errors.New("request must have 8 bytes")
		}
		return append(out, 42, 0, 0, 0, 0, 0, 0, 0), nil
	}))(t)
	must.Equal(t, must.Get(ProbeService(t.Context(), b, "/Shoot"))(t), (ServiceHeader{"nubot_common/Shoot", def.MD5}),
		"probed")
	if resp := must.Get(CallRaw(t.Context(), b, "/Shoot", nil, make([]byte, 8)))(t); len(resp) != 8 || resp[0] != 42 {
		t.Errorf("response = % x", resp)
	}
	must.Refuse(CallRaw(t.Context(), b, "/Shoot", nil, nil))(t, "request must have 8 bytes")
	if _, err := CallRaw(t.Context(), b, "/nobody", nil, nil); !errors.Is(err, ErrNoService) {
		t.Errorf("err = %v", err)
	}
	if _, err := ProbeService(t.Context(), b, "/nobody"); !errors.Is(err, ErrNoService) {
		t.Errorf("err = %v", err)
	}
}

// TestRawRefusesLies checks that a definition must have the MD5 sum of its header.
func TestRawRefusesLies(t *testing.T) {
	n := newNode(t, newMaster(t).URI(), "/n")
	for _, c := range []struct {
		h    tcpros.Header
		want string
	}{
		{tcpros.Header{"type": "a/A", "md5sum": strings.Repeat("0", 32), "message_definition": "int8 x"},
			"must have that of its header"},
		{tcpros.Header{"type": "a/A", "md5sum": strings.Repeat("0", 32), "message_definition": "b/B x"},
			"unknown type"},
		{tcpros.Header{"type": "", "md5sum": "", "message_definition": ""}, "a name must be package/Type"},
	} {
		must.Refuse(n.definition(c.h))(t, c.want, c.h)
	}
}
