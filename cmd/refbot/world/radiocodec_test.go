package world_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// drawMessage returns a message whose values the layout represents exactly.
func drawMessage(t *rapid.T) *world.RadioMessage {
	vec := func(name string) pitch.Vec {
		return pitch.Vec{float64(rapid.Int16().Draw(t, name+".x")) * 1e-3, float64(rapid.Int16().Draw(t, name+".y")) *
			1e-3}
	}
	span := func(name string) time.Duration {
		return time.Duration(rapid.Uint16().Draw(t, name)) * time.Millisecond
	}
	m := &world.RadioMessage{
		Number: rapid.Uint8Range(1, 255).Draw(t, "number"), Role: rapid.Uint8().Draw(t, "role"),
		Holding: rapid.Bool().Draw(t, "holding"),
		Pos:     vec("pos"), Vel: vec("vel"), Heading: float64(rapid.IntRange(-31415, 31415).Draw(t, "heading")) * 1e-4,
		Reach: span("reach"), Target: vec("target"),
		Ball: world.RadioBall{Known: rapid.Bool().Draw(t, "known"), Pos: vec("ball"), Vel: vec("ball.vel"),
			Age: span("age")},
		Pass: world.RadioPass{To: rapid.Uint8().Draw(t, "to"), At: vec("at"), In: span("in"),
			Kicked: rapid.Bool().Draw(t,
				"kicked")},
	}
	for range rapid.IntRange(0, world.MaxRadioOthers).Draw(t, "others") {
		m.Others = append(m.Others, world.RadioOther{Opponent: rapid.Bool().Draw(t, "opponent"),
			Number: rapid.Uint8().Draw(t, "n"), Pos: vec("other"), Vel: vec("other.vel")})
	}
	return m
}

// Decoding an encoded message returns the message.
func TestRadioMessagesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawMessage(t)
		got := must.Get(world.DecodeRadio(want.Append(nil)))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Values out of range saturate, and excess others are dropped.
func TestRadioValuesSaturate(t *testing.T) {
	m := world.RadioMessage{Number: 2, Pos: pitch.Vec{100, math.Inf(-1)}, Heading: 7, Reach: time.Hour,
		Others: make([]world.RadioOther, 12)}
	got := must.Get(world.DecodeRadio(m.Append(nil)))(t)
	if got.Pos != (pitch.Vec{32.767, -32.768}) || !(math.Abs(got.Heading-(7-2*math.Pi)) < 1e-4) ||
		got.Reach != 65535*time.Millisecond || len(got.Others) != world.MaxRadioOthers {
		t.Errorf("%+v", got)
	}
}

// No bytes make the decoder panic, and Append reproduces what it decodes, except for unused bits.
func FuzzDecodeRadio(f *testing.F) {
	f.Add((&world.RadioMessage{Number: 3}).Append(nil))
	f.Add((&world.RadioMessage{Number: 5, Others: make([]world.RadioOther, 2)}).Append(nil))
	f.Add([]byte("something else"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := world.DecodeRadio(b)
		if err != nil {
			return
		}
		again, err := world.DecodeRadio(m.Append(nil))
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if len(m.Append(nil)) != len(b) || !bytes.Equal(m.Append(nil)[:3], b[:3]) || again.Ball != m.Ball ||
			again.Pos != m.Pos {
			t.Errorf("%x is %+v, and again %+v", b, m, again)
		}
	})
}
