package player

import (
	"encoding/hex"
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// number returns data of a device that has the number as its payload.
func number(index uint16, n int) *message {
	m := newMessage(header{address: address{interf: laserInterface, index: index}, typ: typeData, subtype: 1})
	m.b = appendInt(m.b, n)
	m.seal()
	return m
}

// popped returns the payloads of all data that may leave the queue, and the subtype of the synch message, or 0.
func popped(q *queue) (numbers []int, synch int) {
	for m := q.pop(); m != nil; m = q.pop() {
		if m.typ == typeSynch {
			return numbers, int(m.subtype)
		}
		in := reader{b: m.b[headerSize:]}
		numbers = append(numbers, in.int())
	}
	return numbers, 0
}

func TestQueue(t *testing.T) {
	push := func(q *queue, numbers ...int) {
		for _, n := range numbers {
			m := number(0, n)
			q.push(m)
			m.release()
		}
	}
	check := func(q *queue, synch int, want ...int) {
		t.Helper()
		got, end := popped(q)
		must.Equal(t, got, want, "data")
		must.Equal(t, end, synch, "synch message")
	}
	q := &queue{wake: make(chan struct{}, 1)}
	push(q, 1, 2)
	check(q, 0, 1, 2)

	q.setPull(true)
	push(q, 3, 4)
	check(q, 0)
	q.ask()
	push(q, 5)
	check(q, synchOK, 3, 4)
	check(q, 0)
	q.ask()
	check(q, synchOK, 5)
	q.ask() // nothing is queued: the next data answer
	check(q, 0)
	push(q, 6)
	check(q, synchOK, 6)

	must.Equal(t, q.addRule(rule{-1, -1, typeData, -1, replaceOlder}), true, "rule is added")
	push(q, 7, 8, 9)
	q.ask()
	check(q, synchOK, 9)
	q.addRule(rule{-1, -1, typeData, -1, ignoreNew})
	push(q, 10)
	q.addRule(rule{-1, -1, typeData, -1, acceptNew})
	for n := range maxQueued + 3 {
		push(q, n)
	}
	q.ask()
	numbers, synch := popped(q)
	must.Equal(t, len(numbers), maxQueued, "number of data")
	must.Equal(t, numbers[0], 3, "first data")
	must.Equal(t, synch, synchOverflow, "synch message")
	for i := range 2 * maxRules {
		if added := q.addRule(rule{i, 0, 0, 0, 0}); added != (i < maxRules-1) {
			t.Fatalf("rule %d is added: %v", i, added)
		}
	}
}

// In pull mode a client receives data only when it asks, and then a synch message. The golden bytes are from
// 001_player.def: an overflow has the number of lost messages.
func TestPull(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	p.open(4, 0)
	p.ask(1, 0, 5, pack(modePull))
	s.Steps(2)
	typ, _ := p.ask(1, 0, 4, nil)
	must.Equal(t, typ, typeAck, "type of the answer")
	must.Equal(t, p.read().typ, typeData, "type of the message after the answer")
	end := p.read()
	for end.typ == typeData {
		end = p.read()
	}
	must.Equal(t, [4]int{end.interf, end.index, end.typ, end.subtype}, [4]int{1, 0, 5, 1}, "last message")
	m := (&queue{dropped: 258}).synch()
	must.Equal(t, hex.EncodeToString(m.b), "00000000"+"00000000"+"00000001"+"00000000"+"00000005"+"00000002"+
		"0000000000000000"+"00000000"+"00000004"+"00000102", "overflow")
}

// A client that does not read loses data, and the simulation does not wait for it.
func TestSlowClient(t *testing.T) {
	s := serve(t, func(w *worlds.World) {
		w.Robots[1].Sensors[1].Level = abstraction.Raw
		w.Robots[1].Sensors[1].Image.Width, w.Robots[1].Sensors[1].Image.Height = 640, 480
	})
	slow, fast := dial(t, s, 1), dial(t, s, 0)
	slow.open(40, 1)
	fast.open(4, 0)
	s.Until(2 * time.Second) // 60 images of 0.9 MB that nobody reads
	for at := 0.0; at < 1.9; {
		at = fast.data(4, 0).time
	}
	images, last := 0, 0.0
	for ; last < 1.9; images++ {
		last = slow.data(40, 1).time
	}
	if images > 40 { // those in the queue, and those in the buffers of the sockets
		t.Errorf("got %d images, want the newest ones, 16 MiB", images)
	}
}

// A client that sends too much is disconnected, and one that leaves has its robot stop.
func TestDisconnection(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	p.open(4, 0)
	p.send(4, 0, typeCommand, 1, pack(1.0, 0.0, 0.0, 1))
	p.ask(1, 0, 1, nil)
	s.Steps(200)
	if v := s.Truth().Robots[0].TwistWBInB().VX; !(v > 0.9) {
		t.Fatalf("got %v m/s, want 1", v)
	}
	_, err := p.Write(pack(0, 0, 4, 0, 3, 1, 0.0, 1, maxPayload+1))
	must.Do(t, err)
	must.Until(t, "the device is closed", func() bool { return len(*s.ports[0].devices[0].clients.Load()) == 0 })
	s.Steps(300)
	if v := s.Truth().Robots[0].TwistWBInB().VX; !(v < 0.05) {
		t.Errorf("got %v m/s, want a robot at rest", v)
	}
	must.Equal(t, len(s.refused.All()), 1, "number of warnings")
}

// While its wires are cut, a robot neither obeys nor reports.
func TestCutWires(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	p.open(4, 0)
	s.Must(&action.CutWires{Robot: "cyan1"})
	p.send(4, 0, typeCommand, 1, pack(1.0, 0.0, 0.0, 1))
	typ, _ := p.ask(4, 0, 1, nil)
	must.Equal(t, typ, typeNack, "type of the answer")
	s.Steps(100)
	must.Near(t, "velocity", s.Truth().Robots[0].TwistWBInB().VX, 0, 1e-9)
	s.Must(&action.RestoreWires{Robot: "cyan1"})
	s.Steps(100)
	if at := p.data(4, 0).time; !(at >= 0.5) {
		t.Errorf("got data of %v s, when the wires were cut", at)
	}
}

// The interface simulation moves bodies and switches levels.
func TestSimulation(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	p.open(31, 0)
	ask := func(subtype int, payload []byte) (typ int, answer []byte) {
		done := make(chan struct{})
		go func() {
			typ, answer = p.ask(31, 0, subtype, payload)
			close(done)
		}()
		must.Until(t, "answer", func() bool {
			s.Steps(1)
			select {
			case <-done:
				return true
			default:
				return false
			}
		})
		return typ, answer
	}
	typ, _ := ask(2, pack(text("obstacle1\x00"), -2.0, 1.5, 0.0))
	must.Equal(t, typ, typeAck, "placed")
	_, b := ask(1, pack(text("obstacle1\x00"), 0.0, 0.0, 0.0))
	in := reader{b: b}
	must.Equal(t, in.text(), "obstacle1", "name")
	for i, want := range []float64{-2, 1.5, 0} {
		must.Near(t, "pose "+"xyh"[i:i+1], in.double(), want, 1e-6)
	}
	_, b = ask(3, pack(text("magenta1"), [6]float64{}, 0.0))
	in = reader{b: b}
	must.Equal(t, in.text(), "magenta1", "name")
	for i, want := range []float64{5, 1, 0, 0, 0, math.Pi} {
		must.Near(t, "pose "+"xyzrpy"[i:i+1], math.Abs(in.double()), want, 0.01)
	}
	must.Equal(t, len(in.b), 8, "size of the time")
	typ, _ = ask(6, pack(text("cyan1.front"), text("level"), 0, text("objects")))
	must.Equal(t, typ, typeAck, "level is set")
	_, b = ask(5, pack(text("cyan1.front"), text("level"), 0, text("0123456789")))
	must.Equal(t, string(b), string(pack(text("cyan1.front"), text("level"), 0, text("objects\x00\x00\x00"))), "level")
	for _, bad := range [][]byte{pack(text("nobody"), 0.0, 0.0, 0.0), pack(text("ball"), 0.0, 0.0), nil} {
		if typ, _ := ask(2, bad); typ != typeNack {
			t.Errorf("%x: got type %d, want a refusal", bad, typ)
		}
	}
}
