package output

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// A run writes the samples of a microphone as one WAV file.
func TestSound(t *testing.T) {
	w := must.Get(worlds.Load("whistle"))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	dir := t.TempDir()
	r := must.Get(NewRecorder(sim, must.Get(Open("--out", dir, true))(t), nil, func() {}))(t)
	var want []byte
	_, err := sim.Listen("cyan1", "ear", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		want = o.Reading.(*sensors.SoundReading).AppendS16LE(want)
	}})
	must.Do(t, err)
	_, err = sim.Run(t.Context(), omnipitch.Pace{For: 1200 * time.Millisecond, Speed: timesync.Max})
	must.Do(t, err)
	must.Do(t, r.Close())
	data := must.Get(os.ReadFile(filepath.Join(dir, "cyan1.ear.wav")))(t)
	le := binary.LittleEndian
	if len(data) != 44+len(want) || string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " ||
		int(le.Uint32(data[4:])) != len(data)-8 || le.Uint16(data[20:]) != 1 || le.Uint16(data[22:]) != 1 ||
		le.Uint32(data[24:]) != 16000 || le.Uint16(data[34:]) != 16 || int(le.Uint32(data[40:])) != len(want) {
		t.Fatalf("%d bytes with head %q, want %d samples", len(data), data[:min(44, len(data))], len(want)/2)
	}
	must.Equal(t, string(data[44:]), string(want), "samples")
	if _, err := os.Stat(filepath.Join(dir, "cyan2.ear.wav")); !os.IsNotExist(err) {
		t.Errorf("a microphone at level objects has a WAV file: %v", err)
	}
}
