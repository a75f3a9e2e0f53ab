package recorder

import (
	"math"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// A command survives encoding and decoding to the last bit.
func TestCommandsComeBack(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 500 {
		v, ok := quick.Value(reflect.TypeFor[physics.Command](), random)
		if !ok {
			t.Fatal("no command")
		}
		want := &omnipitch.Input{Step: 7, Moment: omnipitch.AsStepped, Command: &command.Robot{Robot: "cyan1",
			Command: v.Interface().(physics.Command)}}
		var m msg.Command
		EncodeCommand(want, 3, &m)
		if got := DecodeCommand(&m); !reflect.DeepEqual(got, want) || m.Number != 3 {
			t.Fatalf("got %+v, want %+v", got.Command, want.Command)
		}
	}
}

// A topic message survives, also with numbers that are not finite and text that is not UTF-8.
func TestMessagesComeBack(t *testing.T) {
	want := omnipitch.TopicMessage{Subscription: 2, Topic: "/a", Message: condition.Message{Arrived: time.Second,
		Stamped: true, Stamp: time.Millisecond,
		Values: []condition.Value{{Known: true, Number: math.Inf(-1)}, {Known: true, IsText: true,
			Text: "a\xff\"\n\x00é"}, {Number: math.Copysign(0, -1)}, {Number: 0.1}}}}
	m := must.Get(inputMessage(&omnipitch.Input{Step: 9, Moment: omnipitch.AsStepped, Message: &want}, 4, nil))(t)
	got := must.Get(DecodeInput(&m, nil))(t)
	if !reflect.DeepEqual(got.Message, &want) || math.Signbit(got.Message.Values[2].Number) != true || got.Step != 9 ||
		got.Moment != omnipitch.AsStepped {
		t.Errorf("got %+v, want %+v", got.Message, want)
	}
}

// A radio message survives.
func TestRadioComesBack(t *testing.T) {
	for _, want := range []match.Message{{Robot: "cyan1", Data: []byte{}}, {Robot: "cyan1", Topic: "a/b",
		Data: []byte("\x00\xff\"é")}} {
		m := must.Get(inputMessage(&omnipitch.Input{Step: 9, Moment: omnipitch.AsStepped, Radio: &want}, 4, nil))(t)
		got, err := DecodeInput(&m, nil)
		if err != nil || !reflect.DeepEqual(got.Radio, &want) || got.Step != 9 || got.Moment != omnipitch.AsStepped {
			t.Errorf("got %+v, %v, want %+v", got.Radio, err, want)
		}
	}
}

// DecodeInput refuses damaged messages.
func TestDamagedInputs(t *testing.T) {
	for _, m := range []msg.Input{{}, {Kind: "dance"}, {Kind: kindAction}, {Kind: kindAction, Name: "place"},
		{Kind: kindAction, Name: "fly", Data: "{}"}, {Kind: kindMessage}, {Kind: kindRadio},
		{Kind: kindRadio, Name: "a", Data: `{"Data": "?"}`},
		{Kind: kindMessage, Data: `{"Values": [{"Number": "g", "Text": "\"\""}]}`},
		{Kind: kindMessage, Data: `{"Values": [{"Number": "0", "Text": "a"}]}`}} {
		if in, err := DecodeInput(&m, nil); err == nil {
			t.Errorf("%+v: got %+v", m, in)
		}
	}
}
