// SPDX-License-Identifier: Apache-2.0
// Bits of a Verilated port, whatever its width: integers up to 64 bits, else arrays of 32.
#ifndef VERILATED_BITS_H
#define VERILATED_BITS_H

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace verilated_bits
{
constexpr uint64_t ones(int width)
{
    return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

template <class T> uint64_t get(const T &port, int lsb, int width)
{
    if constexpr (std::is_integral<T>::value) {
        return (uint64_t(port) >> lsb) & ones(width);
    } else {
        uint64_t value = 0;
        for (int done = 0; done < width;) {
            int at = lsb + done, take = std::min(32 - at % 32, width - done);
            value |= ((uint64_t(port[at / 32]) >> (at % 32)) & ones(take)) << done;
            done += take;
        }
        return value;
    }
}

template <class T> void set(T &port, int lsb, int width, uint64_t value)
{
    if constexpr (std::is_integral<T>::value) {
        port = T((uint64_t(port) & ~(ones(width) << lsb)) | ((value & ones(width)) << lsb));
    } else {
        for (int done = 0; done < width;) {
            int at = lsb + done, take = std::min(32 - at % 32, width - done);
            uint32_t part = uint32_t(ones(take) << (at % 32));
            uint32_t bits = uint32_t((value >> done) << (at % 32));
            port[at / 32] = (port[at / 32] & ~part) | (bits & part);
            done += take;
        }
    }
}
} // namespace verilated_bits

#endif
