package export

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// shades are frames by the red of their first pixel.
type shades struct {
	all  []uint8
	size image.Point
}

func (s *shades) Add(m *image.RGBA) error {
	s.all, s.size = append(s.all, m.Pix[0]), m.Rect.Size()
	return nil
}

func (s *shades) End() error { return nil }

// plain is a picture of one colour.
func plain(width, height int, c color.RGBA) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return m
}

// A frame shows the newest picture of its time, however pictures come.
func TestFilm(t *testing.T) {
	var got shades
	f := NewFilm(FilmConfig{Rate: 10, Width: 40}, &got)
	for _, c := range []struct {
		at  time.Duration
		red uint8
	}{{1000 * time.Millisecond, 1}, {1030 * time.Millisecond, 2}, {1090 * time.Millisecond, 3},
		{1100 * time.Millisecond, 4}, {1350 * time.Millisecond, 5}} {
		if err := f.Show(c.at, plain(20, 9, color.RGBA{c.red, 0, 0, 255})); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Show(2*time.Second, plain(20, 10, color.RGBA{})); err == nil ||
		err.Error() != "a picture of 20 × 10 pixels: must be of 20 × 9, as the first" {
		t.Errorf("another size: %v", err)
	}
	if err := f.Show(1<<62, plain(20, 9, color.RGBA{})); err == nil || !strings.Contains(err.Error(),
		"at most 180000 frames") {
		t.Errorf("a film of years: %v", err)
	}
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	if want := []uint8{1, 4, 4, 4, 5}; !slices.Equal(got.all, want) || got.size != image.Pt(40, 18) {
		t.Errorf("frames %v of %v, want %v of 40 × 18", got.all, got.size, want)
	}
	for _, c := range []FilmConfig{{Rate: 0}, {Rate: 51}, {Rate: 10, Width: 1}, {Rate: 10, Width: 5000}} {
		if c.Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
	}
}

// The standard library reads the film's frames, with their times, in colours that differ by no more than half a step of
// 5 bits where there are few of them, and keeps a small ball's.
func TestGIF(t *testing.T) {
	green, orange := color.RGBA{20, 140, 40, 255}, color.RGBA{240, 120, 10, 255}
	field := plain(64, 48, green)
	for i := range field.Rect.Dx() { // a thousand shades of green
		for j := range 40 {
			field.SetRGBA(i, j, color.RGBA{uint8(10 + i/4), uint8(100 + 2*j), uint8(20 + i), 255})
		}
	}
	draw.Draw(field, image.Rect(30, 30, 34, 34), image.NewUniform(orange), image.Point{}, draw.Src)
	var b bytes.Buffer
	g := NewGIF(&b, 30)
	for _, m := range []*image.RGBA{plain(64, 48, green), field, plain(64, 48, orange), field} {
		if err := g.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.End(); err != nil {
		t.Fatal(err)
	}
	film, err := gif.DecodeAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 4, 3, 3}; !slices.Equal(film.Delay, want) || film.LoopCount != 0 || film.Config.Width != 64 {
		t.Errorf("delays %v, want %v; loops %d, width %d", film.Delay, want, film.LoopCount, film.Config.Width)
	}
	for _, c := range []struct {
		frame, x, y int
		want        color.RGBA
	}{{0, 5, 5, green}, {1, 31, 31, orange}, {2, 60, 40, orange}, {3, 33, 33, orange}} {
		r, g, b, _ := film.Image[c.frame].At(c.x, c.y).RGBA()
		for i, d := range []int{int(r>>8) - int(c.want.R), int(g>>8) - int(c.want.G), int(b>>8) - int(c.want.B)} {
			if d < -8 || d > 8 { // a step of 5 bits
				t.Errorf("frame %d: channel %d is off by %d", c.frame, i, d)
			}
		}
	}
	if err := NewGIF(&b, 30).End(); !errors.Is(err, errNoPicture) {
		t.Errorf("a film of nothing: %v", err)
	}
}

// Images of a topic become a film, those that were compressed too; images of two topics, of no topic, or of no known
// encoding do not.
func TestPictures(t *testing.T) {
	image1, err := msg.Compile[msg.Image](definitionOf(t, "sensor_msgs/Image"))
	if err != nil {
		t.Fatal(err)
	}
	path := recorded(t, func(w *recording.Writer) {
		raw, other, compressed := channel(t, w, "/raw", "sensor_msgs/Image"),
			channel(t, w, "/float", "sensor_msgs/Image"), channel(t, w, "/raw/compressed",
				"sensor_msgs/CompressedImage")
		channel(t, w, "/text", "std_msgs/String").Write(0, 0, encodedText("a"))
		for i := range 5 {
			at := time.Duration(i) * 100 * time.Millisecond
			raw.Write(at, at, image1.Append(nil, &msg.Image{Height: 2, Width: 3, Encoding: "bgr8", Step: 9,
				Data: bytes.Repeat([]byte{1, 2, byte(10 * i)}, 6)}))
			other.Write(at, at, image1.Append(nil, &msg.Image{Height: 2, Width: 3, Encoding: "32FC1", Step: 12,
				Data: make([]byte, 24)}))
			var b bytes.Buffer
			if err := png.Encode(&b, plain(3, 2, color.RGBA{byte(20 * i), 0, 0, 255})); err != nil {
				t.Fatal(err)
			}
			head := append(make([]byte, 12), encodedText("camera")...)
			compressed.Write(at, at, append(append(head, encodedText("bgr8; png compressed bgr8")...),
				encodedText(b.String())...))
		}
	})
	r := opened(t, path)
	for _, c := range []struct{ topic, want string }{
		{"/raw", "[0 10 20 30 40]"},
		{"/raw/compressed", "[0 20 40 60 80]"},
		{"/float", `topic /float at 0s: encoding = "32FC1": must be one of 8 bits, or mono16 or 16UC1`},
		{"/raw*", "topics /raw and /raw/compressed have images: a film shows those of one"},
		{"/text", `topics[0] = "/text": the recording has no such topic of images`},
	} {
		var frames shades
		err := Pictures(t.Context(), r, Selection{Topics: recording.Patterns{c.topic}}, FilmConfig{Rate: 10}, &frames)
		got := fmt.Sprint(frames.all)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), path+": ")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.topic, got, c.want)
		}
	}
}

// ffmpeg gets all pixels and the film's measures; why it fails is told, and that it is not there.
func TestMP4(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := NewMP4(t.Context(), "a.mp4", 30); !errors.Is(err, ErrNoFFmpeg) {
		t.Errorf("without ffmpeg: %v", err)
	}
	script := func(text string) (*MP4, string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.mp4")
		f, err := NewMP4(t.Context(), path, 12.5)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Close)
		return f, path
	}
	f, path := script(`for last; do :; done; { echo "$@"; /bin/cat; } >"${last#file:}"`)
	for range 3 {
		if err := f.Add(plain(5, 3, color.RGBA{'a', 'b', 'c', 'd'})); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	args, pixels, _ := strings.Cut(string(b), "\n")
	if !strings.Contains(args, "-pixel_format rgba -video_size 5x3 -framerate 12.5") || pixels != strings.Repeat("abcd",
		3*15) {
		t.Errorf("ffmpeg got %s and %q", args, pixels)
	}
	f, _ = script("/bin/cat >/dev/null; echo 'no such encoder' >&2; echo more >&2; exit 1")
	if err := f.Add(plain(5, 3, color.RGBA{})); err != nil {
		t.Fatal(err)
	}
	if err := f.End(); !errors.Is(err, ErrFFmpeg) || err.Error() != "ffmpeg: no such encoder" {
		t.Errorf("an ffmpeg that fails: %v", err)
	}
}

// The ffmpeg that is here makes a film that it reads again.
func TestMP4OfFFmpeg(t *testing.T) {
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Skip("no ffmpeg: apt-get install ffmpeg")
	}
	path := filepath.Join(t.TempDir(), "a.mp4.partial")
	f, err := NewMP4(t.Context(), path, 25)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 50 {
		if err := f.Add(plain(65, 49, color.RGBA{byte(5 * i), 100, 50, 255})); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ffprobe, "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
		"stream=codec_name,width,height,nb_read_frames,r_frame_rate", "-of", "csv=p=0", path).CombinedOutput()
	if got, want := strings.TrimSpace(string(out)), "h264,66,50,25/1,50"; err != nil || got != want {
		t.Errorf("ffprobe finds %q, want %q; %v", got, want, err)
	}
}
