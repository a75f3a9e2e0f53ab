package chip

// Constants of the discrete cosine transforms: the factors, with 13 fractional bits, and the number of extra bits of
// precision that values have between the row pass and the column pass. Algorithm: Loeffler, Ligtenberg and Moschytz,
// "Practical fast 1-D DCT algorithms with 11 multiplications" (ICASSP 1989), in libjpeg's order.
const (
	dctBits  = 13
	passBits = 2

	fix0298631336 = 2446
	fix0390180644 = 3196
	fix0541196100 = 4433
	fix0765366865 = 6270
	fix0899976223 = 7373
	fix1175875602 = 9633
	fix1501321110 = 12299
	fix1847759065 = 15137
	fix1961570560 = 16069
	fix2053119869 = 16819
	fix2562915447 = 20995
	fix3072711026 = 25172
)

// rounded returns x/2^bits, rounded to the nearest integer.
func rounded(x int32, bits uint) int32 { return (x + 1<<(bits-1)) >> bits }

// forwardDCT transforms 8 × 8 samples centred on 0; the result is scaled by 8.
func forwardDCT(b *[64]int32) {
	for i := 0; i < 64; i += 8 {
		forwardLine(b, i, 1, true)
	}
	for i := range 8 {
		forwardLine(b, i, 8, false)
	}
}

// forwardLine transforms a row, in the first pass, or a column.
func forwardLine(b *[64]int32, at, step int, row bool) {
	d := func(i int) *int32 { return &b[(at+i*step)&63] }
	t0, t7 := *d(0)+*d(7), *d(0)-*d(7)
	t1, t6 := *d(1)+*d(6), *d(1)-*d(6)
	t2, t5 := *d(2)+*d(5), *d(2)-*d(5)
	t3, t4 := *d(3)+*d(4), *d(3)-*d(4)

	t10, t13 := t0+t3, t0-t3
	t11, t12 := t1+t2, t1-t2
	bits := uint(dctBits + passBits)
	if row {
		*d(0), *d(4) = (t10+t11)<<passBits, (t10-t11)<<passBits
		bits = dctBits - passBits
	} else {
		*d(0), *d(4) = rounded(t10+t11, passBits), rounded(t10-t11, passBits)
	}
	z1 := (t12 + t13) * fix0541196100
	*d(2), *d(6) = rounded(z1+t13*fix0765366865, bits), rounded(z1-t12*fix1847759065, bits)

	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * fix1175875602
	t4 *= fix0298631336
	t5 *= fix2053119869
	t6 *= fix3072711026
	t7 *= fix1501321110
	z1 *= -fix0899976223
	z2 *= -fix2562915447
	z3 = z3*-fix1961570560 + z5
	z4 = z4*-fix0390180644 + z5
	*d(7), *d(5) = rounded(t4+z1+z3, bits), rounded(t5+z2+z4, bits)
	*d(3), *d(1) = rounded(t6+z2+z3, bits), rounded(t7+z1+z4, bits)
}

// inverseDCT inverts forwardDCT. Its input is the result of forwardDCT divided by 8.
func inverseDCT(b *[64]int32) {
	for i := range 8 {
		inverseLine(b, i, 8, dctBits-passBits)
	}
	for i := 0; i < 64; i += 8 {
		inverseLine(b, i, 1, dctBits+passBits+3)
	}
}

// inverseLine transforms a column, in the first pass, or a row.
func inverseLine(b *[64]int32, at, step int, bits uint) {
	d := func(i int) *int32 { return &b[(at+i*step)&63] }
	if *d(1)|*d(2)|*d(3)|*d(4)|*d(5)|*d(6)|*d(7) == 0 { // a shortcut with the same result
		mean := rounded(*d(0)<<dctBits, bits)
		for i := range 8 {
			*d(i) = mean
		}
		return
	}
	z1 := (*d(2) + *d(6)) * fix0541196100
	t2, t3 := z1-*d(6)*fix1847759065, z1+*d(2)*fix0765366865
	t0, t1 := (*d(0)+*d(4))<<dctBits, (*d(0)-*d(4))<<dctBits
	t10, t13 := t0+t3, t0-t3
	t11, t12 := t1+t2, t1-t2

	t0, t1, t2, t3 = *d(7), *d(5), *d(3), *d(1)
	z1, z2, z3, z4 := t0+t3, t1+t2, t0+t2, t1+t3
	z5 := (z3 + z4) * fix1175875602
	t0 *= fix0298631336
	t1 *= fix2053119869
	t2 *= fix3072711026
	t3 *= fix1501321110
	z1 *= -fix0899976223
	z2 *= -fix2562915447
	z3 = z3*-fix1961570560 + z5
	z4 = z4*-fix0390180644 + z5
	t0 += z1 + z3
	t1 += z2 + z4
	t2 += z2 + z3
	t3 += z1 + z4
	*d(0), *d(7) = rounded(t10+t3, bits), rounded(t10-t3, bits)
	*d(1), *d(6) = rounded(t11+t2, bits), rounded(t11-t2, bits)
	*d(2), *d(5) = rounded(t12+t1, bits), rounded(t12-t1, bits)
	*d(3), *d(4) = rounded(t13+t0, bits), rounded(t13-t0, bits)
}
