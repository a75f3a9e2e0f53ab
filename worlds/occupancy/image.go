package occupancy

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// pixels returns the mean brightness and the opacity of a pixel, both from 0 to 1. Row 0 is the top row.
type pixels func(x, y int) (shade, opacity float64)

// grid decodes the image of a map.
func (m *meta) grid(data []byte) (*Grid, error) {
	decode := pgm
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		decode = m.png
	case !bytes.HasPrefix(data, []byte("P2")) && !bytes.HasPrefix(data, []byte("P5")):
		return nil, errors.New("must be a PGM or PNG image")
	}
	width, height, at, err := decode(data)
	if err != nil {
		return nil, err
	}
	g := &Grid{Width: width, Height: height, Resolution: m.resolution, Origin: m.origin,
		Cells: make([]int8, width*height)}
	for y := range height {
		row := g.Cells[(height-1-y)*width:][:width]
		for x := range row {
			row[x] = m.cell(at(x, y))
		}
	}
	return g, nil
}

// checkSize reports images that are too large for a map.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > MaxCells || height > MaxCells || width*height > MaxCells {
		return fmt.Errorf("has %d × %d pixels: must have at most %d", width, height, MaxCells)
	}
	return nil
}

// png decodes a PNG image. In mode trinary, opacity is one more channel of a pixel, as in the map server.
func (m *meta) png(data []byte) (width, height int, at pixels, err error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, nil, fmt.Errorf("is not a PNG image: %w", err)
	}
	if err := checkSize(config.Width, config.Height); err != nil {
		return 0, 0, nil, err
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, 0, nil, fmt.Errorf("is not a PNG image: %w", err)
	}
	if gray, ok := img.(*image.Gray); ok { // the usual case, fast
		return config.Width, config.Height, func(x, y int) (float64, float64) {
			return float64(gray.GrayAt(x, y).Y) / 0xff, 1
		}, nil
	}
	_, fourth := img.(*image.NRGBA)
	if _, deep := img.(*image.NRGBA64); deep {
		fourth = true
	}
	if p, ok := img.(*image.Paletted); ok {
		for _, c := range p.Palette {
			_, _, _, a := c.RGBA()
			fourth = fourth || a < 0xffff
		}
	}
	fourth = fourth && m.mode == trinary
	return config.Width, config.Height, func(x, y int) (shade, opacity float64) {
		c := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
		sum, channels := int(c.R)+int(c.G)+int(c.B), 3
		if fourth {
			sum, channels = sum+int(c.A), 4
		}
		return float64(sum) / float64(channels) / 0xffff, float64(c.A) / 0xffff
	}, nil
}

// pgm decodes a PGM image of text (P2) or of bytes (P5), with 8 or 16 bits a pixel. Source: the manual page pgm(5) of
// Netpbm.
func pgm(data []byte) (width, height int, at pixels, err error) {
	s := scanner{data: data[2:]}
	width, height = s.number(), s.number()
	largest := s.number()
	if s.failed || largest < 1 || largest > 0xffff {
		return 0, 0, nil, errors.New("is not a PGM image: must begin with P2 or P5, width, height and the largest value, " +
			"which is at most 65535")
	}
	if err := checkSize(width, height); err != nil {
		return 0, 0, nil, err
	}
	scale, n := 1/float64(largest), width*height
	short := fmt.Errorf("ends too early: must have %d × %d pixels from 0 to %d", width, height, largest)
	if data[1] == '2' {
		values := make([]uint16, n)
		for i := range values {
			v := s.number()
			if s.failed || v > largest {
				return 0, 0, nil, short
			}
			values[i] = uint16(v)
		}
		return width, height, func(x, y int) (float64, float64) { return float64(values[y*width+x]) * scale, 1 }, nil
	}
	size := 1
	if largest > 0xff {
		size = 2
	}
	if len(s.data) < 1+n*size {
		return 0, 0, nil, short
	}
	body := s.data[1:] // one white space separates the header from the pixels
	return width, height, func(x, y int) (float64, float64) {
		i := (y*width + x) * size
		v := int(body[i])
		if size == 2 {
			v = v<<8 | int(body[i+1])
		}
		return min(float64(v)*scale, 1), 1
	}, nil
}

// scanner reads the decimal numbers of a PGM image.
type scanner struct {
	data   []byte
	failed bool
}

// number returns the next number. White space, and comments from # to the end of a line, may stand before it.
func (s *scanner) number() (n int) {
	comment := false
	for len(s.data) > 0 {
		c := s.data[0]
		if !comment && c >= '0' && c <= '9' {
			break
		}
		switch {
		case c == '\n' || c == '\r':
			comment = false
		case c == '#':
			comment = true
		case !comment && c != ' ' && c != '\t' && c != '\v' && c != '\f':
			s.failed = true
			return 0
		}
		s.data = s.data[1:]
	}
	s.failed = s.failed || len(s.data) == 0
	for len(s.data) > 0 && s.data[0] >= '0' && s.data[0] <= '9' {
		if n = n*10 + int(s.data[0]-'0'); n > 1<<30 {
			s.failed = true
			return 0
		}
		s.data = s.data[1:]
	}
	return n
}
