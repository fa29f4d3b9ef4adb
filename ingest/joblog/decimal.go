package joblog

import "poolproof/core"

// Decimal reads a number such as 12, -1 or 3.25: its whole part, truncated
// toward zero, and the millionths after it, both with its sign. A number too
// large for its place comes back as the largest.
func Decimal(word []byte) (whole, millionths int64, ok bool) {
	digits, negative := word, false
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		digits, negative = word[1:], word[0] == '-'
	}
	const largest = 1 << 62
	seen := false
	i := 0
	for ; i < len(digits) && isDigit(digits[i]); i++ {
		seen = true
		if whole > largest/10-1 {
			whole = largest
			continue
		}
		whole = whole*10 + int64(digits[i]-'0')
	}
	if i < len(digits) && digits[i] == '.' {
		i++
		for unit := int64(core.Second) / 10; i < len(digits) && isDigit(digits[i]); i++ {
			seen = true
			millionths += int64(digits[i]-'0') * unit
			unit /= 10
		}
	}
	if !seen || i < len(digits) {
		return 0, 0, false
	}
	if negative {
		whole, millionths = -whole, -millionths
	}
	return whole, millionths, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
