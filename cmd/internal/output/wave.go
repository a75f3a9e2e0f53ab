package output

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"

	"github.com/omnipitch/omnipitch/sensors"
)

// wave is a WAV file with 16-bit samples of one channel.
type wave struct {
	file  *os.File
	to    *bufio.Writer
	rate  uint32
	bytes uint64 // of the samples
	next  []byte // memory
}

// newWave creates a WAV file. Close of the Recorder writes the length into its header and closes it.
func (r *Recorder) newWave(name string, rate uint32) (*wave, error) {
	f, err := r.out.create(name)
	if err != nil {
		return nil, err
	}
	w := &wave{file: f, to: bufio.NewWriter(f), rate: rate, bytes: math.MaxUint32} // until it is closed
	_, err = w.to.Write(w.header())
	w.bytes = 0
	r.closers = append(r.closers, w.to.Flush, func() error {
		_, err := f.WriteAt(w.header(), 0)
		return err
	}, f.Close)
	return w, err
}

// header returns the head of the file: a RIFF header, and a chunk fmt with format 1 (PCM). A file of 4 GiB and more has
// the largest length.
func (w *wave) header() []byte {
	const head, fmtSize, channels, bytesPerSample = 36, 16, 1, 2
	n := uint32(min(w.bytes, math.MaxUint32-head))
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), n+head)
	b = binary.LittleEndian.AppendUint32(append(b, "WAVEfmt "...), fmtSize)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, w.rate)
	b = binary.LittleEndian.AppendUint32(b, w.rate*bytesPerSample)
	b = binary.LittleEndian.AppendUint16(b, bytesPerSample)
	b = binary.LittleEndian.AppendUint16(b, 8*bytesPerSample)
	return binary.LittleEndian.AppendUint32(append(b, "data"...), n)
}

// add appends samples.
func (w *wave) add(sound *sensors.SoundReading) error {
	w.next = sound.AppendS16LE(w.next[:0])
	w.bytes += uint64(len(w.next))
	_, err := w.to.Write(w.next)
	return err
}
